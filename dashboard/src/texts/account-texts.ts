/** One's own account. */
export const ACCOUNT_NAVIGATION_LABEL = "Your account";

export const PROFILE_TEXTS = {
  title: "Profile",
  lead: "How others in your organizations see you, and what you sign in with.",
  nameTitle: "Name",
  emailTitle: "Email address",
  emailHint: "You sign in with it. To change it, enter your password.",
  emailHintPlain: "You sign in with it.",
  save: "Save",
  saveEmail: "Change email address",
  saved: "Saved.",
} as const;

export const PASSWORD_TEXTS = {
  title: "Password",
  lead: "Changing it signs you out on all other devices.",
  noneLead: "You came in by a link and have no password yet. Set one, so that you can sign in again.",
  submit: "Change password",
  submitFirst: "Set password",
  done: "Password changed. Other devices are signed out.",
  doneFirst: "Password set.",
} as const;

export const SECOND_FACTOR_TEXTS = {
  title: "Second factor",
  lead: "Besides your password, an app on your phone shows a code when you sign in on a new device. Someone who learns your password alone stays out.",
  on: "On",
  onTip: "A code is asked for when you sign in on a device that is not trusted.",
  off: "Off",
  offTip: "Your password alone is enough to sign in. Turn the second factor on.",
  needsPassword: "Set a password first; the second factor stands beside it.",
  begin: "Turn on",
  beginTitle: "Turn on the second factor",
  passwordLead: "Enter your password to begin.",
  next: "Continue",
  scanTitle: "1. Add Lineup to your app",
  scanLead: "Scan this with an authenticator app, such as Aegis, Google Authenticator or 1Password.",
  qrLabel: "QR code for an authenticator app. The secret beneath it says the same in letters.",
  secret: "Or type this secret into the app",
  codesTitle: "2. Keep your recovery codes",
  codesLead:
    "Each lets you in once, should the phone be lost. Keep them where you keep passwords; they are not shown again.",
  codesLabel: "Recovery codes",
  copyCodes: "Copy all",
  downloadCodes: "Download",
  codesFile: "lineup-recovery-codes.txt",
  codesHead: (email: string) => `Lineup recovery codes of ${email}. Each works once.`,
  confirmTitle: "3. Enter the app’s code",
  code: "Six digits from the app",
  keptCodes: "I have kept the recovery codes",
  keptMissing: "Keep the codes first, then tick this.",
  confirm: "Turn on",
  confirmed: "The second factor is on.",
  renew: "New recovery codes",
  renewTitle: "Make new recovery codes",
  renewLead: "The old ones stop working at once.",
  renewSubmit: "Make new codes",
  renewed: "These are your new recovery codes. The old ones no longer work.",
  end: "Turn off",
  endTitle: "Turn off the second factor",
  endLead: "Your password alone will be enough to sign in, and your recovery codes stop working.",
  endSubmit: "Turn off",
  ended: "The second factor is off.",
  done: "Done",
} as const;

export const SECURITY_TEXTS = {
  title: "Security",
  lead: "Your password and your second factor.",
} as const;

export const SESSIONS_TEXTS = {
  title: "Sessions",
  lead: "Where you are signed in. End what you do not know, and then change your password.",
  table: "Your sessions",
  device: "Device",
  address: "Address",
  lastSeen: "Last seen",
  since: "Signed in",
  ends: "Ends by itself",
  action: "Action",
  thisOne: "This device",
  thisOneTip: "The browser you are looking at now.",
  unknownDevice: "Unknown device",
  unknown: "Unknown",
  end: "Sign out",
  endLabel: (device: string) => `Sign out: ${device}`,
  ended: "Signed out there.",
  all: "Sign out everywhere",
  allTitle: "Sign out everywhere?",
  allBody: "Every device, this one included, has to sign in again. Devices you trusted are asked for a code again.",
  on: "on",
} as const;

export const APPEARANCE_TEXTS = {
  title: "Appearance",
  lead: "For this browser alone.",
  colours: "Colours",
  auto: "As the system",
  autoHint: "Follows your device, by day and by night.",
  light: "Light",
  lightHint: "Dark text on a light ground.",
  dark: "Dark",
  darkHint: "Light text on a dark ground.",
  noteTitle: "Dates and motion",
  note: (zone: string) =>
    `Times are shown in your zone, ${zone}; hover over one, or go to it with Tab, for the exact time. Days of records, such as a contract’s end, are days in UTC. Motion is left out when your system asks for less of it.`,
} as const;
