/** A world file cannot be used; the message is for people, with line and column. */
export class WorldFileError extends Error {}
