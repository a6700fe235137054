import { type CliCommand, needed } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'
import { pairs, table } from '../words.ts'

export const projectCliCommands: CliCommand[] = [
  {
    name: 'project create',
    summary: "Creates a project in its owner's developer account, which is created if there is none.",
    flags: {
      name: { value: '<name>', help: 'name of the project' },
      owner: { value: '<username>', help: 'user whose developer account it belongs to' },
    },
    run: async (call) => {
      const made = await runCommand(call.settings, 'project.create', {
        name: needed(call, 'name'),
        owner: needed(call, 'owner'),
      })
      call.print(made, () => pairs(made))
    },
  },
  {
    name: 'project list',
    summary: 'Lists the projects with their developer accounts and apps.',
    flags: {},
    run: async (call) => {
      const result = await runCommand(call.settings, 'project.list', {})
      const projects = result.projects as { apps: { name: string }[] }[]
      call.print(result, () =>
        table(
          projects.map((project) => ({ ...project, apps: project.apps.map((app) => app.name).join(', ') })),
          ['id', 'name', 'developer_account_id', 'developer_account_name', 'owner', 'apps'],
        ),
      )
    },
  },
]
