import { named, type ProblemBody, say } from './problem.ts'
import type { ResourceType, Section } from './problem-words.ts'

/** Partial error: no such object. */
export function resourceNotFound(resource: ResourceType, parameter: string, value: string): ProblemBody {
  return {
    value,
    detail: say`Could not find ${named(resource)} with ${named(parameter)}: [${value}].`,
    title: 'Not Found Error',
    resource_type: named(resource),
    parameter: named(parameter),
    resource_id: value,
    type: 'resource-not-found',
  }
}

/** Partial error: no such object, of a kind that `resource-not-found` cannot name. */
export function otherNotFound(kind: string, parameter: string, value: string): ProblemBody {
  return {
    title: 'Not Found Error',
    type: 'about:blank',
    status: 404,
    detail: say`Could not find ${kind} with ${named(parameter)}: [${value}].`,
  }
}

/** Partial error: the object exists but cannot be shown yet. */
export function resourceUnavailable(resource: ResourceType, parameter: string, value: string): ProblemBody {
  return {
    detail: say`The ${named(resource)} with ${named(parameter)}: [${value}] is not available yet.`,
    title: 'Resource Unavailable Error',
    resource_type: named(resource),
    parameter: named(parameter),
    resource_id: value,
    type: 'resource-unavailable',
  }
}

/** Partial error: the user is suspended. */
export function userSuspended(parameter: string, value: string): ProblemBody {
  return {
    ...resourceNotFound('user', parameter, value),
    detail: say`User has been suspended: [${value}].`,
    title: 'Forbidden',
  }
}

/** Partial error: the caller may not see the object. */
export function notAuthorizedForResource(
  resource: ResourceType,
  parameter: string,
  value: string,
  section: Section,
): ProblemBody {
  const kind = resource.charAt(0).toUpperCase() + resource.slice(1)
  return {
    value,
    detail: say`Sorry, you are not authorized to see the ${named(kind)} with ${named(parameter)}: [${value}].`,
    title: 'Authorization Error',
    resource_type: named(resource),
    parameter: named(parameter),
    resource_id: value,
    section,
    type: 'not-authorized-for-resource',
  }
}

/** Partial error: the caller may see the object but not this field of it. */
export function notAuthorizedForField(
  resource: ResourceType,
  field: string,
  parameter: string,
  value: string,
  section: Section,
): ProblemBody {
  const kind = resource.charAt(0).toUpperCase() + resource.slice(1)
  return {
    resource_type: named(resource),
    field: named(field),
    parameter: named(parameter),
    resource_id: value,
    value,
    title: 'Field Authorization Error',
    section,
    detail: say`Sorry, you are not authorized to access '${named(field)}' on the ${named(kind)} with ${named(parameter)} : [${value}].`,
    type: 'not-authorized-for-field',
  }
}
