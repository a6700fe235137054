import { isInForeground, type RunningProgram } from './run-program.ts'

const PASSED_ON: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH']
const FROM_TERMINAL = new Set<NodeJS.Signals>(['SIGINT', 'SIGQUIT', 'SIGWINCH', 'SIGHUP'])
const HARMLESS = new Set<NodeJS.Signals>(['SIGUSR1', 'SIGUSR2', 'SIGWINCH'])
const ON_WINDOWS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Passes signals on to the program. Those that come before it runs are reported, since they mean that it should not run. */
export function passSignalsOn(
  program: () => RunningProgram | undefined,
  onEarly: (signal: NodeJS.Signals) => void = () => {},
): void {
  for (const name of process.platform === 'win32' ? ON_WINDOWS : PASSED_ON)
    process.on(name, () => {
      const running = program()
      if (!running) {
        if (!HARMLESS.has(name)) onEarly(name)
      } else if (!(FROM_TERMINAL.has(name) && isInForeground())) running.child.kill(name)
    })
}
