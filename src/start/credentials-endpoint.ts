import { jsonAnswer } from '../api-kit/writing/answer.ts'
import { controlEndpoint } from '../control/endpoints.ts'
import { readCredentials } from './credentials-file.ts'

/** What credentials.json has, for programs that cannot read the file: those on other machines. */
export const credentialsEndpoint = controlEndpoint(
  'controlCredentials',
  'GET /_rostra/credentials',
  async (_request, runtime) => jsonAnswer(await readCredentials(runtime)),
)
