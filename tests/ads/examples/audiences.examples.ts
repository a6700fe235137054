import { createHash } from 'node:crypto'
import type { AdsScene } from '../ads-scene.ts'
import type { AdsExample } from './example.ts'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

let made = 0
const audience = async (scene: AdsScene): Promise<string> => {
  made += 1
  return (await scene.made('custom_audiences', { name: `Example audience ${made}` })).id
}

/** A permission for a new account, of the audience that it names. */
async function permission(scene: AdsScene): Promise<{ audience: string; granted: string; permission?: string }> {
  await scene.server.command('ads.account.set', {
    account: scene.account,
    add_features: ['SHARE_AUDIENCE_OUTSIDE_BUSINESS'],
  })
  const granted = (await scene.call('POST', 'accounts')).body.data[0].id
  return { audience: await audience(scene), granted }
}

async function granted(scene: AdsScene) {
  const { audience: id, granted: account } = await permission(scene)
  const path = `custom_audiences/${id}/permissions`
  const record = await scene.made(path, { granted_account_id: account, permission_level: 'READ_ONLY' })
  return { audience: id, permission: record.id as string }
}

const doNotReach = async (scene: AdsScene): Promise<string> => {
  const known = (await scene.get('do_not_reach_lists')).body.data
  return known[0]?.id ?? (await scene.made('do_not_reach_lists', {})).id
}

const grant = async (scene: AdsScene, name: string) => {
  const { audience: id, granted: account } = await permission(scene)
  return { path: { [name]: id }, values: { granted_account_id: account, permission_level: 'READ_WRITE' } }
}

/** Examples of audiences, their people and permissions, and Do Not Reach lists. */
export const examples: Record<string, AdsExample> = {
  listCustomAudiences: async (scene) => {
    await audience(scene)
    return { values: { count: 1, permission_scope: 'OWNER', q: 'example', sort_by: 'name-desc' } }
  },
  getCustomAudience: async (scene) => ({ path: { custom_audience_id: await audience(scene) } }),
  createCustomAudience: () => {
    made += 1
    return { values: { name: `Example audience ${made}`, description: 'People who came' } }
  },
  updateCustomAudience: async (scene) => {
    const id = await audience(scene)
    return { path: { custom_audience_id: id }, values: { name: `Renamed ${id}` } }
  },
  deleteCustomAudience: async (scene) => ({ path: { custom_audience_id: await audience(scene) } }),
  batchCustomAudiences: async (scene) => {
    made += 2
    const address = `/ads-sandbox/12/batch/accounts/${scene.account}/custom_audiences`
    const mobile = await scene.server.request('POST', address, {
      as: { user: 'alice' },
      json: [{ operation_type: 'Create', params: { name: `Mobile ${made}`, audience_type: 'MOBILE_AUDIENCE' } }],
    })
    const segments = { custom_audience_id: mobile.body.data[0].id, lookback_window: 30 }
    return {
      json: [
        { operation_type: 'Create', params: { name: `Flexible ${made}`, audience_type: 'FLEXIBLE', segments } },
        { operation_type: 'Delete', params: { custom_audience_id: await audience(scene) } },
      ],
    }
  },
  updateCustomAudienceUsers: async (scene) => ({
    path: { custom_audience_id: await audience(scene) },
    json: [
      {
        operation_type: 'Update',
        params: { users: [{ email: [hash('a@example.com')], platform_id: [hash('1')], partner_user_id: ['p-1'] }] },
      },
      { operation_type: 'Delete', params: { users: [{ handle: [hash('gone')] }] } },
    ],
  }),

  listTailoredAudiencePermissions: async (scene) => ({
    path: { tailored_audience_id: (await granted(scene)).audience },
    values: { with_total_count: true, sort_by: 'created_at-desc' },
  }),
  createTailoredAudiencePermission: (scene) => grant(scene, 'tailored_audience_id'),
  deleteTailoredAudiencePermission: async (scene) => {
    const made = await granted(scene)
    return { path: { tailored_audience_id: made.audience, tailored_audience_permission_id: made.permission } }
  },
  listCustomAudiencePermissions: async (scene) => ({
    path: { custom_audience_id: (await granted(scene)).audience },
    values: { count: 1 },
  }),
  createCustomAudiencePermission: (scene) => grant(scene, 'custom_audience_id'),
  deleteCustomAudiencePermission: async (scene) => {
    const made = await granted(scene)
    return { path: { custom_audience_id: made.audience, custom_audience_permission_id: made.permission } }
  },

  listCustomAudienceTargeting: async (scene) => ({
    path: { custom_audience_id: await audience(scene) },
    values: { with_active: false },
  }),

  listDoNotReachLists: async (scene) => {
    await doNotReach(scene)
    return { values: { with_deleted: true } }
  },
  createDoNotReachList: async (scene) => {
    for (const list of (await scene.get('do_not_reach_lists')).body.data)
      await scene.delete(`do_not_reach_lists/${list.id}`)
    return { values: { description: 'People who asked us not to' } }
  },
  deleteDoNotReachList: async (scene) => ({ path: { do_not_reach_list_id: await doNotReach(scene) } }),
  batchDoNotReachListUsers: async (scene) => ({
    path: { do_not_reach_list_id: await doNotReach(scene) },
    json: [{ operation_type: 'Update', params: { users: [{ email: [hash('a@example.com').toUpperCase()] }] } }],
  }),
}
