/** Email address and password, then the second factor where it is on. SignInForm { email?, onDone, onStep? } */
import { Anchor, Button, Checkbox, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useActionForm } from "../client/use-action-form.ts";
import { FIELD_TEXTS, SIGN_IN_TEXTS } from "../texts/entry-texts.ts";
import { requireEmail, requireText } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { PasswordField } from "../ui/password-field.tsx";

export interface SignInFormProps {
  /** Whose account it must be; the field is then closed. */
  readonly email?: string;
  readonly onDone: () => void | Promise<void>;
  readonly onStep?: (step: SignInStep) => void;
}

export type SignInStep = "password" | "second-factor";

export function SignInForm(props: SignInFormProps) {
  const [step, setStep] = useState<SignInStep>("password");
  const go = (next: SignInStep) => {
    setStep(next);
    props.onStep?.(next);
  };
  return step === "password" ? (
    <PasswordStep {...props} onSecondFactor={() => go("second-factor")} />
  ) : (
    <SecondFactorStep onDone={props.onDone} onStartOver={() => go("password")} />
  );
}

function PasswordStep({ email, onDone, onSecondFactor }: SignInFormProps & { readonly onSecondFactor: () => void }) {
  const { form, onSubmit, isBusy, failure } = useActionForm("signIn", {
    initialValues: { email: email ?? "", password: "" },
    validate: { email: requireEmail, password: requireText },
    toInput: (body) => ({ body }),
    onDone: ({ outcome }) => (outcome === "signed-in" ? onDone() : onSecondFactor()),
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <TextInput
          {...form.getInputProps("email")}
          label={FIELD_TEXTS.email}
          type="email"
          autoComplete="username"
          data-field="email"
          readOnly={email !== undefined}
        />
        <PasswordField
          {...form.getInputProps("password")}
          kind="current"
          label={FIELD_TEXTS.password}
          data-field="password"
        />
        <FormError failure={failure} />
        <Button type="submit" size="md" fullWidth loading={isBusy}>
          {SIGN_IN_TEXTS.submit}
        </Button>
      </Stack>
    </form>
  );
}

interface SecondFactorStepProps {
  readonly onDone: () => void | Promise<void>;
  readonly onStartOver: () => void;
}

function SecondFactorStep({ onDone, onStartOver }: SecondFactorStepProps) {
  const [kind, setKind] = useState<"app" | "recovery">("app");
  const { form, onSubmit, isBusy, failure } = useActionForm("verifySecondFactor", {
    initialValues: { code: "", trustDevice: false },
    validate: { code: requireText },
    toInput: (values) => ({ body: { ...values, kind } }),
    onDone,
  });
  const isApp = kind === "app";
  const change = () => {
    form.reset();
    setKind(isApp ? "recovery" : "app");
  };
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <Text role="status">{isApp ? SIGN_IN_TEXTS.secondLead : SIGN_IN_TEXTS.recoveryLead}</Text>
        <TextInput
          key={kind}
          {...form.getInputProps("code")}
          label={isApp ? SIGN_IN_TEXTS.appCode : SIGN_IN_TEXTS.recoveryCode}
          autoComplete="one-time-code"
          inputMode={isApp ? "numeric" : "text"}
          spellCheck={false}
          data-field="code"
          autoFocus
        />
        <Checkbox
          {...form.getInputProps("trustDevice", { type: "checkbox" })}
          label={SIGN_IN_TEXTS.trust}
          description={SIGN_IN_TEXTS.trustHint}
        />
        <FormError failure={failure} />
        <Button type="submit" size="md" fullWidth loading={isBusy}>
          {SIGN_IN_TEXTS.verify}
        </Button>
        <Stack gap={4} align="center">
          <Anchor component="button" type="button" onClick={change}>
            {isApp ? SIGN_IN_TEXTS.useRecovery : SIGN_IN_TEXTS.useApp}
          </Anchor>
          <Anchor component="button" type="button" onClick={onStartOver}>
            {SIGN_IN_TEXTS.startOver}
          </Anchor>
        </Stack>
      </Stack>
    </form>
  );
}
