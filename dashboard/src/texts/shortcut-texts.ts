/** The palette and the keyboard. */
export const SHORTCUT_TEXTS = {
  find: "Find a person, a team, an event, a page, a key",
  search: "Go to the page’s search or filters",
  help: "Show these shortcuts",
  tab: "Go from control to control",
  escape: "Close what is open; a form in which you typed stays",
  note: "“/” and “?” are letters while you type in a field.",
} as const;

export const PALETTE_TEXTS = {
  placeholder: "Find a person, a team, an event, a page",
  results: "Results",
  nothing: "Nothing found. Try fewer letters.",
  pages: "Pages",
  keys: "API keys",
  webhooks: "Webhooks",
  actions: "Actions",
  organizations: "Organizations",
  createKey: "Create an API key",
  createKeyNote: "Name, permissions, expiry",
  createWebhook: "Create a webhook",
  createWebhookNote: "Address, types of change",
  invite: "Invite a member",
  inviteNote: "By a link",
  findRequest: "Find a request by its id",
  light: "Use light colours",
  dark: "Use dark colours",
  system: "Use the system’s colours",
  signOut: "Sign out",
} as const;
