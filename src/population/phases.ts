/** The parts of a tick, in their order. */
export const PHASES = [
  'clock',
  'mirror',
  'plan',
  'looks',
  'checks',
  'behaviour',
  'decisions',
  'ads',
  'actions',
] as const
export type Phase = (typeof PHASES)[number]

/** How long each part of the ticks took, in milliseconds of real time. */
export class Phases {
  readonly ms: Record<Phase, number>

  constructor(before: Partial<Record<Phase, number>> = {}) {
    this.ms = Object.fromEntries(PHASES.map((phase) => [phase, before[phase] ?? 0])) as Record<Phase, number>
  }

  async time<T>(phase: Phase, work: () => T): Promise<Awaited<T>> {
    const began = performance.now()
    try {
      return await work()
    } finally {
      this.ms[phase] += performance.now() - began
    }
  }
}
