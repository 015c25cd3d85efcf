import "react";

declare module "react" {
  interface CSSProperties {
    /** Our own variables, given to a style sheet by an element. */
    [variable: `--${string}`]: string | number | undefined;
  }
}
