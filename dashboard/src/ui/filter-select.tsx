/**
 * A filter with a list of choices, the browser's own: it works with every keyboard, screen reader and phone as people are used to.
 * FilterSelect { label, isLabelHidden?, any, choices, value, onChange, w? }
 *   any       what the first choice says, which filters nothing
 *   choices   { value, label }[], or groups of them: { group, items }[]
 *   value     undefined for none; one that is not among the choices is shown as it is
 */
import { NativeSelect, type NativeSelectProps } from "@mantine/core";

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export interface ChoiceGroup {
  readonly group: string;
  readonly items: readonly Choice[];
}

export interface FilterSelectProps {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly any: string;
  readonly choices: readonly (Choice | ChoiceGroup)[];
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly w?: NativeSelectProps["w"];
}

export function FilterSelect({ label, isLabelHidden, any, choices, value, onChange, w }: FilterSelectProps) {
  const known = choices.some((each) => listChoices(each).some((choice) => choice.value === value));
  const data = [
    { value: "", label: any },
    ...choices.map((each) => ("group" in each ? { group: each.group, items: [...each.items] } : each)),
    ...(value === undefined || known ? [] : [{ value, label: value }]),
  ];
  return (
    <NativeSelect
      {...(isLabelHidden === true ? { "aria-label": label } : { label })}
      data={data}
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value === "" ? undefined : event.currentTarget.value)}
      {...(w !== undefined && { w })}
    />
  );
}

function listChoices(choice: Choice | ChoiceGroup): readonly Choice[] {
  return "group" in choice ? choice.items : [choice];
}
