import { type Call, type CliCommand, needed, numberFlag, only } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'
import { pairs, table } from '../words.ts'

const COMMUNITY = '<community id>'
const user = { value: '<username>', help: 'the user whom it concerns' }
const by = { value: '<username>', help: 'the moderator or admin who does it' }
const policies =
  'Open, RestrictedJoinRequestsDisabled, RestrictedJoinRequestsRequireAdminApproval, RestrictedJoinRequestsRequireModeratorApproval or SuperFollowRequired'
const about = {
  description: { value: '<text>', help: 'what it is about, 160 characters at most' },
  join: { value: '<policy>', help: policies },
}

const idOf = (call: Call): string => only(call.positionals, 'community id')

async function print(call: Call, name: string, args: Record<string, unknown>): Promise<void> {
  const result = await runCommand(call.settings, `communities.${name}`, args)
  call.print(result, () => pairs(result))
}

/** A command for a user's own membership. */
const ofUser = (name: string, summary: string): CliCommand => ({
  name: `community ${name}`,
  summary,
  positionals: COMMUNITY,
  flags: { user },
  run: (call) => print(call, name, { community: idOf(call), user: needed(call, 'user') }),
})

/** A command for what a member does about another user. */
const ofTeam = (name: string, summary: string): CliCommand => ({
  name: `community ${name}`,
  summary,
  positionals: COMMUNITY,
  flags: { user, by },
  run: (call) => print(call, name, { community: idOf(call), user: needed(call, 'user'), by: needed(call, 'by') }),
})

export const communityCliCommands: CliCommand[] = [
  {
    name: 'community create',
    summary: 'Creates a community.',
    flags: {
      user: { value: '<username>', help: 'its first admin' },
      name: { value: '<text>', help: 'its name, 30 characters at most' },
      ...about,
      access: { value: '<access>', help: 'Public, or Closed: only members see its posts; default Public' },
    },
    run: (call) =>
      print(call, 'create', {
        user: needed(call, 'user'),
        name: needed(call, 'name'),
        description: call.flags.description,
        access: call.flags.access,
        join_policy: call.flags.join,
      }),
  },
  {
    name: 'community update',
    summary: 'Changes a community.',
    positionals: COMMUNITY,
    flags: { by, name: { value: '<text>', help: 'its name' }, ...about },
    run: (call) =>
      print(call, 'update', {
        community: idOf(call),
        by: needed(call, 'by'),
        name: call.flags.name,
        description: call.flags.description,
        join_policy: call.flags.join,
      }),
  },
  ofUser('join', 'Lets a user join a community, or ask to join it.'),
  ofUser('leave', 'Lets a user leave a community, or take back the request to join.'),
  ofTeam('invite', 'Invites a user, who can then join.'),
  ofTeam('approve', 'Approves a request to join.'),
  ofTeam('refuse', 'Refuses a request to join.'),
  ofTeam('remove', 'Removes a member.'),
  {
    name: 'community role',
    summary: 'Gives a member a role.',
    positionals: COMMUNITY,
    flags: { user, by, role: { value: '<role>', help: 'member, moderator or admin' } },
    run: (call) =>
      print(call, 'role', {
        community: idOf(call),
        user: needed(call, 'user'),
        by: needed(call, 'by'),
        role: needed(call, 'role'),
      }),
  },
  {
    name: 'community members',
    summary: 'Lists the members of a community with their roles.',
    positionals: COMMUNITY,
    flags: {
      after: { value: '<user id>', help: 'start after this user' },
      limit: { value: '<number>', help: 'how many; default 100' },
    },
    run: async (call) => {
      const limit = numberFlag(call, 'limit')
      const result = await runCommand(call.settings, 'communities.members', {
        community: idOf(call),
        after: call.flags.after,
        limit,
      })
      call.print(result, () => table(result.members as Record<string, unknown>[], ['id', 'username', 'role']))
    },
  },
]
