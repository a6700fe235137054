import { change, type Runtime } from '../../api-kit/runtime.ts'
import { FieldFaults, withFieldFaults } from '../../identity/accounts/field-faults.ts'
import { statement } from '../../storage/statement.ts'
import { uploadWhole } from '../media/uploading/upload.ts'
import { updateUser } from '../users/update-user.ts'

/** The pictures of a profile, by the field that names them. */
const MEMBERS = { picture: 'profile_image_url', banner: 'profile_banner_url' } as const
export type PictureField = keyof typeof MEMBERS

const MOST_BYTES = 5 * 1024 * 1024

const pictureKeep = statement(
  'profile_picture_keep',
  { url: 'text?' },
  'update media set kept = true where id = $1 and owner_user_id = $2 returning url',
)
// It expires later, unless a post has it.
const picturesRelease = statement(
  'profile_pictures_release',
  {},
  `update media m set kept = false from user_account u
    where u.id = $1 and m.owner_user_id = u.id and m.kept and m.url = any($2::text[])`,
)
const picturesOf = statement(
  'profile_pictures_of',
  { profile_image_url: 'text?', profile_banner_url: 'text?' },
  'select profile_image_url, profile_banner_url from user_account where id = $1 for no key update',
)

/** Sets a picture of a profile from the bytes of a file; without bytes it is removed. */
export async function setPicture(runtime: Runtime, userId: string, field: PictureField, bytes?: Buffer): Promise<void> {
  if (bytes && bytes.length > MOST_BYTES)
    throw new FieldFaults({ [field]: `A picture has at most ${MOST_BYTES / 1024 / 1024} MB.` })
  const upload = bytes && (await store(runtime, userId, field, bytes))
  await withFieldFaults(() =>
    change(runtime, async (tx, invalidate) => {
      const before = await picturesOf.first(tx, userId)
      const kept = upload && (await pictureKeep.first(tx, upload.id, userId))
      await updateUser(tx, invalidate, runtime, userId, { [MEMBERS[field]]: kept?.url ?? '' })
      const old = before?.[MEMBERS[field]]
      if (old) await picturesRelease.count(tx, userId, [old])
    }),
  )
}

async function store(runtime: Runtime, userId: string, field: PictureField, bytes: Buffer) {
  try {
    const plan = { mediaType: undefined, category: 'post_image', shared: false, additionalOwners: [] } as const
    return await withFieldFaults(() => uploadWhole(runtime, userId, plan, bytes))
  } catch (error) {
    // The sentence names the parameter of the interface; here it belongs to the field.
    if (error instanceof FieldFaults) throw new FieldFaults({ [field]: Object.values(error.faults).join(' ') })
    throw error
  }
}
