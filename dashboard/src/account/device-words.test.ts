import { expect, test } from "vitest";
import { sayDevice } from "./device-words.ts";

test.each([
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15",
    "Safari on macOS",
  ],
  [
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/131.0.0.0 Mobile Safari/537.36",
    "Chrome on Android",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0 Safari/537.36 Edg/131.0",
    "Edge on Windows",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 FxiOS/132.0 Mobile",
    "Firefox on iPhone",
  ],
  ["curl/8.9.1", "Unknown device"],
  [null, "Unknown device"],
])("says %s in words", (userAgent, words) => {
  expect(sayDevice(userAgent)).toBe(words);
});
