import { expect, test } from "vitest";
import { redactTarget } from "./erased-requests.ts";

const texts = {
  isValue: (text: string) => ["Viper Jones", "https://example.com/v.png"].includes(text),
  isSearch: (text: string) => ["viper", "viper jones"].includes(text.toLowerCase()),
  isExternalId: (text: string) => text === "17",
};

const cursorOf = (filters: readonly (readonly string[])[], value: unknown) =>
  Buffer.from(JSON.stringify(["check", filters, 5, value, "player_1"])).toString("base64url");

test.each([
  ["/players?search=viper", "/players?search=[erased]"],
  ["/players?limit=5&search=VIPER&sort=ign", "/players?limit=5&search=[erased]&sort=ign"],
  ["/players?search=Viper%20Jones", "/players?search=[erased]"],
  ["/players?search=viper+de", "/players?search=[erased]"],
  ["/players?search=%22Viper+Jones%22", "/players?search=[erased]"],
  ["/players?search=(viper)", "/players?search=[erased]"],
  ["/players?search=@viper", "/players?search=[erased]"],
  ["/players?search=viper-cobra", "/players?search=[erased]"],
  ["/players?x=%22Viper+Jones%22", "/players?x=[erased]"],
  ["/players?%73earch=viper", "/players?%73earch=[erased]"],
  ["/players?externalId=board:17", "/players?externalId=[erased]"],
  ["/players?externalId=board:4,scout:17", "/players?externalId=[erased]"],
  ["/players?x=a,Viper+Jones", "/players?x=[erased]"],
  ["/players?Viper%20Jones", "/players?[erased]"],
  ["/players/Viper%20Jones?limit=1", "/players/[erased]?limit=1"],
  ["/players?x=https%3A%2F%2Fexample.com%2Fv.png", "/players?x=[erased]"],
  ["/players/viper", "/players/[erased]"],
  [`/players?limit=5&cursor=${cursorOf([["search", "viper"]], null)}`, "/players?limit=5&cursor=[erased]"],
  [`/players?cursor=${cursorOf([["externalId", "board:17"]], null)}`, "/players?cursor=[erased]"],
  [`/players?cursor=${cursorOf([["sort", "ign"]], "Viper")}`, "/players?cursor=[erased]"],
  ["/players?limit=5&search=%D0%96%D0…", "/players?limit=5&search=[erased]"],
  ["/players/Viper%20Jo…", "/players/[erased]"],
])("takes a value out of %s", (target, left) => {
  expect(redactTarget(target, texts)).toBe(left);
});

test.each([
  "/players",
  "/players?limit=17",
  "/teams?search=vipers",
  "/players?role=viper",
  "/players?search=%E0%A4%A",
  "/players?search=",
  "/players?search=%22vipers%22",
  `/players?cursor=${cursorOf([["search", "cobra"]], "Cobra")}`,
  "/players?cursor=viper",
  "/players/player_01k3v2m9x8e4r7t2y6u1i5o0pa",
])("leaves %s as it is", (target) => {
  expect(redactTarget(target, texts)).toBe(target);
});
