import { defineEndpoint, withHead } from '../api-kit/declaring/endpoint.ts'
import { publicFrontPage } from '../pages/public/front.page.ts'
import { leadsToConsole, toConsole } from './shell.ts'

/** `/` leads to the console where somebody develops. Elsewhere it is the public front page. */
export const frontPage = withHead(
  defineEndpoint('frontPage', 'GET /', async (request, runtime, extras) =>
    leadsToConsole(request, runtime) ? toConsole(runtime) : publicFrontPage.handle(request, runtime, extras),
  ),
)
