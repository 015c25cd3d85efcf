/**
 * The one theme. Every ramp runs from light (0) to dark (9) in steps of like lightness, so that the same pairs of steps are legible in
 * each colour: white on 7, 9 on 1, 4 on the dark ground. Text stands at 4.5:1 or more against what it can stand on, and edges of fields
 * at 3:1 or more, in both schemes. What Mantine sets otherwise is set anew in `resolveVariables`.
 */
import {
  type CSSVariablesResolver,
  createTheme,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
} from "@mantine/core";
import { COMMON_TEXTS } from "./texts/frame-texts.ts";

/** Also read by public/color-scheme.js. */
export const COLOR_SCHEME_KEY = "lineup-color-scheme";

export const colorSchemeManager = localStorageColorSchemeManager({ key: COLOR_SCHEME_KEY });

const petrol: MantineColorsTuple = [
  "#f0f8fc",
  "#def0f8",
  "#bee3f3",
  "#99d3eb",
  "#6fbddb",
  "#419fc0",
  "#2583a2",
  "#1c6b86",
  "#15566c",
  "#103f4f",
];
const red: MantineColorsTuple = [
  "#fff4f3",
  "#fee7e4",
  "#ffcfca",
  "#ffb2ab",
  "#ff8a82",
  "#e7605b",
  "#c54744",
  "#a33836",
  "#842c2a",
  "#61211f",
];
const amber: MantineColorsTuple = [
  "#fcf6ee",
  "#f9ebd8",
  "#f3d8b3",
  "#ebc187",
  "#dca657",
  "#c0851c",
  "#a06b01",
  "#845800",
  "#6a4602",
  "#4f3300",
];
const green: MantineColorsTuple = [
  "#f1f9f3",
  "#dff3e5",
  "#c1e8cd",
  "#9cdab1",
  "#74c692",
  "#48a870",
  "#2d8c57",
  "#227347",
  "#1a5d38",
  "#144429",
];
const violet: MantineColorsTuple = [
  "#f6f6ff",
  "#eceaff",
  "#dbd7ff",
  "#c7c0ff",
  "#b0a2ff",
  "#927fe7",
  "#7865c5",
  "#6252a4",
  "#4f4285",
  "#393061",
];
const gray: MantineColorsTuple = [
  "#f8fafb",
  "#f1f4f6",
  "#e6eaed",
  "#d8dde1",
  "#c3cacf",
  "#858f95",
  "#5d686f",
  "#444f56",
  "#2b363c",
  "#171f25",
];
const dark: MantineColorsTuple = [
  "#e4e8eb",
  "#c9cfd3",
  "#a6aeb3",
  "#7f878e",
  "#3b4248",
  "#2c3338",
  "#20262b",
  "#181e22",
  "#101418",
  "#090d10",
];

const PLAIN_HEADER = { header: { role: "none" } } as const;

export const theme = createTheme({
  primaryColor: "petrol",
  primaryShade: { light: 7, dark: 7 },
  colors: { petrol, red, amber, green, violet, gray, dark },
  white: "#ffffff",
  black: "#171f25",
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: "0.75rem", sm: "0.875rem", md: "0.9375rem", lg: "1.0625rem", xl: "1.25rem" },
  headings: {
    fontWeight: "650",
    textWrap: "balance",
    sizes: {
      h1: { fontSize: "1.5rem", lineHeight: "1.25" },
      h2: { fontSize: "1.0625rem", lineHeight: "1.35" },
      h3: { fontSize: "0.9375rem", lineHeight: "1.4" },
    },
  },
  radius: { xs: "3px", sm: "5px", md: "7px", lg: "11px", xl: "20px" },
  defaultRadius: "md",
  respectReducedMotion: true,
  cursorType: "pointer",
  components: {
    Button: { defaultProps: { size: "sm" } },
    // A dialog's header is not the page's: without this it would be a second banner landmark.
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.45 }, attributes: PLAIN_HEADER } },
    Drawer: { defaultProps: { overlayProps: { backgroundOpacity: 0.45 }, attributes: PLAIN_HEADER } },
    // A menu holds its items and nothing else, and stands in the landmark of its button.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, withinPortal: false } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": COMMON_TEXTS.close } } },
    // A name of one long word is no wider than the page.
    Title: { styles: { root: { overflowWrap: "anywhere" } } },
    Paper: { defaultProps: { radius: "lg" } },
    Tooltip: {
      defaultProps: { withArrow: true, multiline: true, maw: 320, events: { hover: true, focus: true, touch: true } },
    },
    Anchor: { defaultProps: { underline: "always" } },
  },
});

/** The colours a status or a series may have; what each says is said by its icon and word too. */
export type Tone = "info" | "good" | "warn" | "bad" | "quiet";

export const TONE_COLORS: Readonly<Record<Tone, string>> = {
  info: "petrol",
  good: "green",
  warn: "amber",
  bad: "red",
  quiet: "gray",
};

export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-body": "#ffffff",
    "--mantine-color-dimmed": "var(--mantine-color-gray-6)",
    "--mantine-color-placeholder": "var(--mantine-color-gray-6)",
    "--mantine-color-error": "var(--mantine-color-red-7)",
    "--mantine-color-success": "var(--mantine-color-green-7)",
    "--mantine-color-default-border": "var(--mantine-color-gray-3)",
    "--mantine-color-default-hover": "var(--mantine-color-gray-1)",
    "--mantine-color-disabled": "var(--mantine-color-gray-2)",
    "--mantine-color-disabled-color": "var(--mantine-color-gray-6)",
    "--mantine-color-gray-light-color": "var(--mantine-color-gray-8)",
    "--lineup-page": "var(--mantine-color-gray-0)",
    "--lineup-edge": "var(--mantine-color-gray-3)",
    "--lineup-field-edge": "var(--mantine-color-gray-5)",
    "--lineup-focus": "var(--mantine-color-petrol-7)",
  },
  dark: {
    "--mantine-color-text": "var(--mantine-color-dark-0)",
    "--mantine-color-body": "var(--mantine-color-dark-7)",
    "--mantine-color-dimmed": "var(--mantine-color-dark-2)",
    "--mantine-color-placeholder": "var(--mantine-color-dark-2)",
    "--mantine-color-anchor": "var(--mantine-color-petrol-4)",
    "--mantine-color-error": "var(--mantine-color-red-4)",
    "--mantine-color-success": "var(--mantine-color-green-4)",
    "--mantine-color-default-border": "var(--mantine-color-dark-4)",
    "--mantine-color-disabled": "var(--mantine-color-dark-5)",
    "--mantine-color-disabled-color": "var(--mantine-color-dark-2)",
    "--mantine-color-gray-light": "var(--mantine-color-dark-5)",
    "--mantine-color-gray-light-hover": "var(--mantine-color-dark-4)",
    "--mantine-color-gray-light-color": "var(--mantine-color-dark-0)",
    "--mantine-color-petrol-light": "#0d3341",
    "--mantine-color-petrol-light-hover": "#114152",
    "--mantine-color-petrol-light-color": "var(--mantine-color-petrol-2)",
    "--mantine-color-red-light-color": "var(--mantine-color-red-2)",
    "--mantine-color-amber-light-color": "var(--mantine-color-amber-2)",
    "--mantine-color-green-light-color": "var(--mantine-color-green-2)",
    "--lineup-page": "var(--mantine-color-dark-8)",
    "--lineup-edge": "var(--mantine-color-dark-5)",
    "--lineup-field-edge": "var(--mantine-color-dark-3)",
    "--lineup-focus": "var(--mantine-color-petrol-4)",
  },
});
