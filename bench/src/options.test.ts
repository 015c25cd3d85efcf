import { expect, test } from "vitest";
import { CASE_NAMES } from "./cases.ts";
import { readCommandLine } from "./options.ts";

test("without options all cases are compared, on both stores", () => {
  expect(readCommandLine([])).toMatchObject({
    mode: "compare",
    cases: CASE_NAMES,
    rounds: 5,
    roundMs: 2_000,
    connections: 32,
    withServices: true,
    writes: false,
  });
});

test("cases can be named several times, and an unknown one is refused with those there are", () => {
  expect(readCommandLine(["--case", "304", "--case", "mix"])).toMatchObject({ cases: ["304", "mix"] });
  expect(() => readCommandLine(["--case", "500"])).toThrow('There is no case "500". The cases are player, list');
});

test("a first impression is short, and leaves the services out", () => {
  expect(readCommandLine(["--quick"])).toMatchObject({ rounds: 2, roundMs: 400, withServices: false });
  expect(readCommandLine(["--quick", "--rounds", "9"])).toMatchObject({ rounds: 9 });
});

test("a number out of its range is refused with the range", () => {
  expect(() => readCommandLine(["--rounds", "0"])).toThrow("--rounds must be a whole number from 1 to 1000");
  expect(() => readCommandLine(["--seconds", "x"])).toThrow("--seconds must be a number from 0.1 to 600");
  expect(() => readCommandLine(["--connections", "1.5"])).toThrow("--connections must be a whole number");
  expect(() => readCommandLine(["--rounds", "-1"])).toThrow("--rounds must be a whole number from 1 to 1000");
  expect(() => readCommandLine(["--seconds=-1"])).toThrow("--seconds must be a number from 0.1 to 600");
});

test("growth has sizes of its own, and room for its two organizations of a known size", () => {
  expect(readCommandLine(["--grow"])).toMatchObject({
    mode: "grow",
    players: 1_000_000,
    organizations: 1_000,
    keys: 10_000,
    logRows: 5_000_000,
  });
  expect(() => readCommandLine(["--grow", "--players", "9000"])).toThrow(
    "--players must be a whole number from 111100 to 100000000 for 1000 organizations",
  );
});

test("what belongs to another measurement is refused, and two of them at once", () => {
  expect(() => readCommandLine(["--players", "5"])).toThrow("it goes with --grow.");
  expect(() => readCommandLine(["--grow", "--case", "player"])).toThrow("--case has no meaning with --grow");
  expect(() => readCommandLine(["--grow", "--large-list"])).toThrow("different measurements");
  expect(() => readCommandLine(["--no-such"])).toThrow("--no-such");
});

test("what everybody is shown is a whole run", () => {
  expect(readCommandLine(["--write"])).toMatchObject({ writes: true });
  expect(() => readCommandLine(["--write", "--quick"])).toThrow("leave out --quick");
  expect(() => readCommandLine(["--write", "--case", "player"])).toThrow("leave out --case");
  expect(() => readCommandLine(["--write", "--embedded"])).toThrow("leave out --embedded");
  expect(() => readCommandLine(["--write", "--rounds", "4"])).toThrow("at least 5 rounds of 1 s");
  expect(() => readCommandLine(["--write", "--seconds", "0.9"])).toThrow("at least 5 rounds of 1 s");
  expect(readCommandLine(["--write", "--rounds", "5", "--seconds", "1"])).toMatchObject({ writes: true });
});

test("what is required of reads, or promised, is not asked of cases that have none of it", () => {
  for (const option of ["--require", "--require-cpu", "--require-log"]) {
    expect(() => readCommandLine(["--case", "create", "--case", "401", option, "1"])).toThrow(
      "Add one of player, list",
    );
    expect(readCommandLine(["--case", "create", "--case", "page", option, "1"])).toMatchObject({ mode: "compare" });
  }
  expect(() => readCommandLine(["--case", "page", "--require-promises"])).toThrow("Add one of player, list, 304");
  expect(readCommandLine(["--case", "401", "--require-promises"])).toMatchObject({ requiresPromises: true });
  expect(readCommandLine(["--grow", "--require-promises"])).toMatchObject({ requiresPromises: true });
});

test("to demand a share of the unlogged measures it", () => {
  expect(readCommandLine(["--require-log", "0.9"])).toMatchObject({ withoutLog: true, requiredWithLog: 0.9 });
  expect(readCommandLine(["--require", "0.8", "--require-cpu", "1.25"])).toMatchObject({
    required: 0.8,
    requiredCpu: 1.25,
  });
});
