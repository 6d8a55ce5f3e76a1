import type { AgentBundle, Generation, JsonObject } from '@amodal/sdk'
import { draftOf } from './draft.ts'
import { howOf, type Right } from './right.ts'
import { namesIn, rightsOf } from './rights-of.ts'
import { subjectsOf, type Subject } from './subjects.ts'

/**
 * What each role of an agent may do.
 *
 * @param only roles of whoever asks; `undefined`: of all
 */
export async function rightsReport(
  bundle: AgentBundle,
  generation: Generation,
  only: readonly string[] | undefined,
): Promise<JsonObject> {
  const draft = await draftOf(bundle)
  const names = namesIn([draft])
  const subjects = only === undefined ? subjectsOf(bundle) : [own(only)]
  return {
    subjects: subjects.map(({ name, roles }) => ({
      name,
      roles,
      rights: [...rightsOf(draft, roles, names, generation)].map(([key, right]) =>
        shown(key, right),
      ),
    })),
  }
}

const own = (roles: readonly string[]): Subject => ({ name: 'you', roles })

/** The first word of a key says what kind of right it is; the second, of which connection. */
function shown(key: string, right: Right): JsonObject {
  const [kind = '', about = ''] = key.split(' ')
  const isOfConnection = kind === 'call' || kind === 'see'
  return {
    key,
    kind,
    ...(isOfConnection && { connection: about }),
    what: right.what,
    level: right.level,
    how: howOf(right),
    conditions: right.conditions ?? [],
    ignores_taint: right.ignoresTaint === true,
  }
}
