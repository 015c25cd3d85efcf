/** What Schedule › Subscribe says, and of its links Settings › Organization. */
export const CALENDAR_TEXTS = {
  subscribe: "Subscribe",
  title: "Subscribe to the schedule",
  body: "You get a link with which your own calendar shows the schedule, and follows it when it changes.",
  name: "Name",
  nameHint: "What your calendar calls it.",
  nameMissing: "Give it a name.",
  team: "Team",
  allTeams: "All teams, and what concerns none",
  kinds: "What it shows",
  kindsMissing: "Choose at least one.",
  contractEnds: "Ends of contracts",
  contractEndsHint: "Each as a whole day.",
  submit: "Make the link",
  made: "Your calendar link",
  once: "Anyone who has this link sees the calendar, without signing in. It is shown only now: add it to your calendar before you close this.",
  link: "Link",
  open: "Open in a calendar program",
  howTo: "Where to put it",
  ways: [
    { program: "Google Calendar", way: "On a computer: Other calendars, +, From URL." },
    { program: "Apple Calendar", way: "The button above; or File, New Calendar Subscription." },
    { program: "Outlook", way: "Add calendar, Subscribe from web." },
  ],
  delay:
    "The program decides how often it looks for changes: some do every hour, Google and Outlook a few times a day.",
  done: "Done",
  own: "Your links",
  noneOwn: "You have none yet.",
  all: "Calendar links",
  allLead:
    "With each of these, somebody’s own calendar reads the schedule without signing in. A link ends when its member leaves.",
  noneAtAll: "Nobody has made one. Members do so under Schedule, Subscribe.",
  columns: { name: "Name", member: "Member", shows: "Shows", used: "Last used", actions: "Actions" },
  takeBack: "Take back",
  takeBackOf: (name: string) => `Take back ${name}`,
  takeBackTitle: (name: string) => `Take back ${name}?`,
  takeBackBody: "Calendars that use the link get nothing more from it. What they have already, they may go on showing.",
  takenBack: "Link taken back.",
  everyTeam: "All teams",
} as const;

export const CALENDAR_KINDS = {
  match: "Matches",
  scrim: "Scrims",
  practice: "Practices",
  event: "Events",
} as const;
