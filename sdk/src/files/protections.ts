import { didYouMean } from './did-you-mean.ts'
import type { Issues, Place } from './issues.ts'
import { isObject } from '../json.ts'
import { pathText, placeOf, valueAt, type JsonFile } from './json-file.ts'
import type { Path } from './json-text.ts'
import { soundsLikeProtection } from './protection-words.ts'

/** What to do instead of taking it away. */
export const EXPRESS_PROTECTION =
  'say it where it is kept: what may be called in access.json of the connection, who may use what in roles/, anything else in a plugin that taps `tool.guard`'

/** A name that nothing reads: what to say of it, and whether it may be overlooked. */
export interface UnreadName {
  readonly severity: 'error' | 'warning'
  /** The known name that was probably meant. */ readonly meant?: string
  readonly fix?: string
}

/**
 * Judges a name that nothing reads. A protection is an error, and is never to be renamed to
 * something that protects nothing.
 *
 * @param known the names that are read
 */
export function unreadName(name: string, known: readonly string[]): UnreadName {
  const near = didYouMean(name, known)
  const protects = soundsLikeProtection(name)
  const meant = near !== undefined && protects && !soundsLikeProtection(near) ? undefined : near
  const severity =
    protects || (meant !== undefined && soundsLikeProtection(meant)) ? 'error' : 'warning'
  return {
    severity,
    ...(meant !== undefined && { meant, fix: `rename it to \`${meant}\`` }),
    ...(meant === undefined && protects && { fix: EXPRESS_PROTECTION }),
  }
}

/**
 * Tells of a name that nothing reads. `what` begins the sentence; `otherwise` is what to do with a
 * harmless one.
 */
export function tellUnread(
  what: string,
  { severity, meant, fix }: UnreadName,
  place: Place,
  otherwise: string,
  issues: Issues,
): void {
  const message = meant === undefined ? what : `${what}; did you mean \`${meant}\`?`
  const at: Place = { ...place, fix: fix ?? otherwise }
  if (severity === 'error') issues.error('BAD_REPO', message, at)
  else issues.warn('BAD_REPO', message, at)
}

/** Keys that begin with `_comment` are remarks, wherever they stand. */
export const isComment = (key: string): boolean => key.startsWith('_comment')

/** Fields for people. */
const REMARK = /^(?:[_$]|x-)|^(?:comment|note|title|summary|name|version|author|tag)s?$/i

/**
 * Refuses names that are not known where nothing but protections stands: each would be one that is
 * missing. Remarks are only reported.
 *
 * @param known the names that are read
 */
export function refuseUnknown(
  json: JsonFile,
  at: Path,
  known: readonly string[],
  issues: Issues,
): void {
  const value = valueAt(json.value, at)
  if (!isObject(value)) return
  for (const name of Object.keys(value).filter((key) => !known.includes(key) && !isComment(key))) {
    const path = [...at, name]
    const what = `\`${pathText(path)}\` is not a known field`
    const { meant } = unreadName(name, known)
    if (meant === undefined && REMARK.test(name))
      issues.warn('BAD_REPO', what, {
        ...placeOf(json, path),
        fix: 'write it as `description`, or as a comment: // …',
      })
    else {
      const fix =
        meant === undefined
          ? `say it with one of: ${known.filter((one) => !one.startsWith('$')).join(', ')}`
          : `rename it to \`${meant}\``
      tellUnread(
        what,
        { severity: 'error', ...(meant !== undefined && { meant }), fix },
        placeOf(json, path),
        '',
        issues,
      )
    }
  }
}
