const SCHEME = "mantineColorScheme";

/** Paper is light, whatever the screen is. */
export function printInLight(): void {
  const { dataset } = document.documentElement;
  let scheme: string | undefined;
  addEventListener("beforeprint", () => {
    scheme = dataset[SCHEME];
    dataset[SCHEME] = "light";
  });
  addEventListener("afterprint", () => {
    if (scheme !== undefined) dataset[SCHEME] = scheme;
  });
}
