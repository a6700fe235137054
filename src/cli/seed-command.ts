import type { CliCommand } from './command-line.ts'
export const seedCommand: CliCommand = { name: 'seed', summary: 'placeholder', flags: {}, run: async () => {} }
