import { describeStates } from "./page-sweep.ts";
import { PLAYER_STATES } from "./player-states.ts";

describeStates("every page of players", PLAYER_STATES);
