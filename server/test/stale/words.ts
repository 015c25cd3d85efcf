/** The words that records are made of: few, so that they meet, with letters that sort and fold in their own ways. */
export const IGNS = [
  "Vex",
  "vex",
  "Nyx",
  "nyx",
  "Åsa",
  "åke",
  "Éclair",
  "Zed",
  "zed 2",
  "100%",
  "a_b",
  "😀",
  "ｚ",
  "Ω mega",
];
export const REAL_NAMES = ["", "Elin Sandberg", "Nora Öst", "Åsa Öberg", "Zoë", "Max %", "Ben_Li"];
export const TEAM_NAMES = ["Aurora", "aurora", "Borealis", "Øst", "Zenith", "Team 100%", "North_West"];
export const TITLES = ["Final", "Semi-final", "Media day", "Scrim", "scrim", "Øvelse"];
export const SEARCHED = ["e", "a", "vex", "NY", "%", "_", "Ö", "å", "öst", "aurora", "zz", "😀", "1"];
export const ASSIGNEES = ["Mara", "Ben", "mara", "Ødegaard"];
export const COUNTRIES = ["SE", "DE", "KR", "NO"];
export const SYSTEMS = ["board", "steam"];
export const FOREIGN_IDS = ["1", "2", "3", "a b", "ø"];
export const EXTERNAL_PAIRS = SYSTEMS.flatMap((system) => FOREIGN_IDS.map((id) => `${system}:${id}`));
