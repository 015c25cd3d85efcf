/** How the palette's keys are written on this device. */
export const isApple = /mac|iphone|ipad/i.test(navigator.userAgent);

export const FIND_KEYS = isApple ? "⌘ K" : "Ctrl K";
