import { defineEndpoint } from '../api-kit/declaring/endpoint.ts'
import { blank } from '../api-kit/writing/problems.ts'
import { leadsToConsole, toConsole } from './shell.ts'

/** `/` leads to the console where somebody develops. */
export const frontPage = defineEndpoint('frontPage', 'GET /', async (request, runtime) => {
  if (leadsToConsole(request, runtime)) return toConsole(runtime)
  throw blank(404)
})
