import { readFile, readlink } from 'node:fs/promises'
import path from 'node:path'
import { cleanSpawnOptions, runProgram } from './run-program.ts'

/** What the system reports about a living process. */
interface ProcessFacts {
  /** When it began, as the system writes it: a process id may have been used again. */
  started: string
  command: string
  /** Its working folder, where the system reports it. */
  folder: string | undefined
}

/** Looks a process up; a zombie counts as none. */
export async function lookAtProcess(pid: number): Promise<ProcessFacts | undefined> {
  if (process.platform === 'linux') return lookInProc(pid)
  return process.platform === 'win32' ? askPowerShell(pid) : askPs(pid)
}

/** Whether a process has this id, even a zombie or another program: cheap, and all that some systems report. */
export function isIdInUse(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether this system lets us see processes at all: without that, "not found" proves nothing. */
export async function canSeeProcesses(): Promise<boolean> {
  return (await lookAtProcess(process.pid)) !== undefined
}

async function lookInProc(pid: number): Promise<ProcessFacts | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field, the program's name in brackets, may itself hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
    return { started: fields[19] ?? '', command, folder }
  } catch {
    return undefined
  }
}

async function askPs(pid: number): Promise<ProcessFacts | undefined> {
  const format = ['-ww', '-o', 'stat=', '-o', 'lstart=', '-o', 'command=', '-p', String(pid)]
  const { succeeded, output } = await runOrNothing('/bin/ps', format)
  // For example: "Ss   Sat Nov 15 04:26:01 2025     /path/postgres -D /data"
  const parts = /^\s*(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/.exec(output[0] ?? '')
  if (!succeeded || !parts || parts[1]?.startsWith('Z')) return undefined
  return { started: parts[2] ?? '', command: parts[3] ?? '', folder: undefined }
}

async function askPowerShell(pid: number): Promise<ProcessFacts | undefined> {
  const question =
    `$p = Get-CimInstance Win32_Process -Filter 'ProcessId=${pid}'; ` +
    'if ($p) { $p.CreationDate.Ticks; [string]$p.CommandLine }'
  const asked = await runOrNothing('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', question])
  const [started, ...command] = asked.output
  return asked.succeeded && started ? { started, command: command.join(' '), folder: undefined } : undefined
}

async function runOrNothing(program: string, words: string[]): Promise<{ succeeded: boolean; output: string[] }> {
  const options = cleanSpawnOptions(undefined, path.parse(process.execPath).root)
  return runProgram(program, words, options).catch(() => ({ succeeded: false, output: [] }))
}
