import { expect, it } from "vitest";
import { putAscii } from "./ascii.ts";

it("puts a text where it is told, and says where it ends", () => {
  const room = Buffer.alloc(12, ".");
  expect(putAscii(room, "lineup", 3)).toBe(9);
  expect(room.toString()).toBe("...lineup...");
  expect(putAscii(room, "", 5)).toBe(5);
  expect(room.toString()).toBe("...lineup...");
});

it("puts texts that are parts of others, or made of several", () => {
  const room = Buffer.alloc(64, ".");
  const whole = `${"a".repeat(20)}${"b".repeat(20)}`;
  expect(putAscii(room, whole.slice(15, 30), 1)).toBe(16);
  expect(room.toString("latin1", 0, 17)).toBe(`.${"a".repeat(5)}${"b".repeat(10)}.`);
});

it("stands on what this Node offers", () => {
  // Without it everything goes on as before, only a little slower; so it is this test that says so.
  expect(Buffer.prototype).toHaveProperty("latin1Write");
});
