const READS = /(^|\.)(list|show|members|runs|export|usage|conversations|tree|rules|refused|matches|apps|statistics)$/

/** Whether a control command only reads, by its name and arguments. */
export function onlyReads(name: string, args: Record<string, unknown>): boolean {
  if (args.dry_run === true) return true
  if (name === 'user.sessions') return args.end !== true
  return READS.test(name) || (name === 'clock' && Object.keys(args).length === 0)
}
