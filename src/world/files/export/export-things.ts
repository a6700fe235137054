import { statement } from '../../../storage/statement.ts'
import type {
  WorldCommunity,
  WorldList,
  WorldMessage,
  WorldRule,
  WorldSubscription,
  WorldWebhook,
} from '../things.schema.ts'
import { typedAgain } from './export-texts.ts'
import { type Exporting, MOST_EXPORTED } from './exporting.ts'

const communitiesAll = statement(
  'export_communities',
  { id: 'int8', name: 'text', description: 'text', access: 'text', join_policy: 'text', member_ids: 'int8[]' },
  `select c.id, c.name, c.description, c.access, c.join_policy,
          array(select m.user_id from community_member m where m.community_id = c.id order by m.role <> 'admin', m.user_id) as member_ids
     from community c order by c.id limit 1000`,
)
const listsAll = statement(
  'export_lists',
  {
    id: 'int8',
    owner_id: 'int8',
    name: 'text',
    description: 'text',
    private: 'bool',
    member_ids: 'int8[]',
    follower_ids: 'int8[]',
  },
  `select l.id, l.owner_id, l.name, l.description, l.private,
          array(select m.user_id from list_member m where m.list_id = l.id order by m.id) as member_ids,
          array(select f.user_id from list_follow f where f.list_id = l.id order by f.id) as follower_ids
     from list l order by l.id limit 10000`,
)
const webhooksAll = statement(
  'export_webhooks',
  { id: 'int8', app_id: 'int8', url: 'text' },
  'select id, app_id, url from webhook order by id limit 1000',
)
const rulesAll = statement(
  'export_rules',
  { id: 'int8', app_id: 'int8', value: 'text', tag: 'text?' },
  `select id, app_id, value, tag from stream_rule where product = 'filtered' order by id limit 25000`,
)
const subscriptionsAll = statement(
  'export_subscriptions',
  {
    id: 'int8',
    app_id: 'int8',
    event_type: 'text',
    user_id: 'int8?',
    keyword: 'text?',
    direction: 'text?',
    tag: 'text?',
    webhook_id: 'int8?',
  },
  'select id, app_id, event_type, user_id, keyword, direction, tag, webhook_id from activity_subscription order by id limit 10000',
)
const messagesAll = statement(
  'export_messages',
  {
    id: 'int8',
    conversation_id: 'text',
    sender_id: 'int8?',
    text: 'text?',
    entities: 'jsonb?',
    is_group: 'bool',
    member_ids: 'int8[]',
  },
  `select e.id, e.conversation_id, e.sender_id, e.text, e.entities, c.is_group,
          array(select p.user_id from dm_participant p where p.conversation_id = c.id order by p.user_id) as member_ids
     from dm_event e join dm_conversation c on c.id = e.conversation_id
    where e.type = 'MessageCreate' and e.text is not null order by e.id limit $1`,
)
export async function exportCommunities(run: Exporting): Promise<WorldCommunity[]> {
  return (await communitiesAll.all(run.tx)).map((row) => {
    const [admin, ...members] = row.member_ids.map((id) => run.username(id))
    return {
      id: row.id,
      name: row.name,
      ...(row.description ? { description: row.description } : {}),
      access: row.access as WorldCommunity['access'],
      join_policy: row.join_policy as WorldCommunity['join_policy'],
      admin: admin!,
      ...(members.length > 0 ? { members } : {}),
    }
  })
}

export async function exportLists(run: Exporting): Promise<WorldList[]> {
  return (await listsAll.all(run.tx)).map((row) => ({
    id: row.id,
    owner: run.username(row.owner_id),
    name: row.name,
    ...(row.description ? { description: row.description } : {}),
    ...(row.private ? { private: true } : {}),
    ...(row.member_ids.length > 0 ? { members: row.member_ids.map((id) => run.username(id)) } : {}),
    ...(row.follower_ids.length > 0 ? { followers: row.follower_ids.map((id) => run.username(id)) } : {}),
  }))
}

export async function exportWebhooks(run: Exporting): Promise<WorldWebhook[]> {
  return (await webhooksAll.all(run.tx)).map(({ id, app_id, url }) => ({ id, app: app_id, url }))
}

export async function exportRules(run: Exporting): Promise<WorldRule[]> {
  const rows = await rulesAll.all(run.tx)
  return rows.map(({ id, app_id, value, tag }) => ({ id, app: app_id, value, ...(tag === null ? {} : { tag }) }))
}

export async function exportSubscriptions(run: Exporting): Promise<WorldSubscription[]> {
  return (await subscriptionsAll.all(run.tx)).map((row) => ({
    id: row.id,
    app: row.app_id,
    event_type: row.event_type,
    ...(row.user_id === null ? {} : { user: run.username(row.user_id) }),
    ...(row.keyword === null ? {} : { keyword: row.keyword }),
    ...(row.direction === null ? {} : { direction: row.direction as WorldSubscription['direction'] }),
    ...(row.tag === null ? {} : { tag: row.tag }),
    ...(row.webhook_id === null ? {} : { webhook: row.webhook_id }),
  }))
}

export async function exportMessages(run: Exporting): Promise<WorldMessage[]> {
  const rows = await messagesAll.all(run.tx, MOST_EXPORTED.posts)
  return rows.flatMap((row): WorldMessage[] => {
    const to = row.member_ids.filter((id) => id !== row.sender_id).map((id) => run.username(id))
    if (row.sender_id === null || to.length === 0) return []
    return [
      {
        id: row.id,
        from: run.username(row.sender_id),
        to: row.is_group ? to : to[0]!,
        ...(row.is_group ? { group: row.conversation_id } : {}),
        text: typedAgain(row.text!, row.entities),
      },
    ]
  })
}
