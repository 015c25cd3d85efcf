/** Values from the address bar. Anybody can type there, so what makes no sense is dropped, never an error. */
const TEXT_MAX = 500;

export function readText(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" || text.length > TEXT_MAX ? undefined : text;
}

export function readChoice<T extends string>(value: unknown, choices: readonly T[]): T | undefined {
  const text = readText(value);
  return choices.find((choice) => choice === text);
}

const MOMENT_TEXT = /^\d{1,15}$/;

export function readMoment(value: unknown): number | undefined {
  const text = readText(value);
  return text !== undefined && MOMENT_TEXT.test(text) ? Number(text) : undefined;
}

/** Without what is not set, so that the address stays short. */
export function dropUnset<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
