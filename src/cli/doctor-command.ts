import type { CliCommand } from './command-line.ts'
export const doctorCommand: CliCommand = { name: 'doctor', summary: 'placeholder', flags: {}, run: async () => {} }
