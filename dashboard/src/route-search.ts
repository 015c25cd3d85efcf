/** What stands behind the `?` of an address: texts alone, as they stand there. Each page reads its own. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  if (pairs.length === 0) return "";
  return `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}

/** Keeps the names that the page knows. */
export function readTexts<const Names extends readonly string[]>(
  names: Names,
): (search: Record<string, unknown>) => { [N in Names[number]]?: string } {
  return (search) => {
    const read: { [N in Names[number]]?: string } = {};
    for (const name of names as readonly Names[number][]) {
      const value = search[name];
      if (typeof value === "string" && value !== "") read[name] = value;
    }
    return read;
  };
}
