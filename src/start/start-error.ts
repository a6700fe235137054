/** Rostra cannot start; the message is one paragraph for people. */
export class StartError extends Error {}
