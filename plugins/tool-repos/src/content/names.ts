/** Checks of names that come from requests and from the objects of a repository. */

/** A branch or tag, as git allows it, and shorter. */
export const isRefName = (name: string): boolean =>
  name.length <= 200 &&
  /^[\w+=,!#$%&'();<>|}{"@-][^\0-\x20\x7f~^:?*[\\]*$/.test(name) &&
  !/\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|[./]$|^@$/.test(name)

export const isCommitId = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)

/** A folder of a repository: one or more names of letters, digits, `_`, `.` and `-`. */
export const isFolder = (path: string): boolean =>
  path.length <= 200 && /^\w[\w.-]*(?:\/\w[\w.-]*)*$/.test(path)

/** Why a path of a repository is not written to the disk; `undefined`: it may be. */
export function pathProblem(path: string): string | undefined {
  if (Buffer.byteLength(path) > 400) return 'is longer than 400 bytes'
  if (/[\0-\x1f\x7f\\:]/.test(path) || path.includes('\ufffd'))
    return 'holds a character that is not allowed in names of files'
  const parts = path.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'leaves its folder'
  return parts.some((part) => /^(?:\.git[. ]*|git~\d+)$/i.test(part))
    ? 'has a name that git uses itself'
    : undefined
}
