import { a2aError } from './a2a-error.ts'
import { PROTOCOL_VERSION } from './agent-card.ts'

/** A client that names no version is taken for one of this version. */
export function versionProblem(request: Request) {
  const asked = request.headers.get('a2a-version')
  return asked === null || asked === '' || asked.split('.')[0] === PROTOCOL_VERSION.split('.')[0]
    ? undefined
    : a2aError('VERSION_NOT_SUPPORTED', `this server speaks A2A ${PROTOCOL_VERSION}`)
}
