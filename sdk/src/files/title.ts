/**
 * The title of something that is named by its file.
 *
 * @param name words that hyphens or underscores separate
 * @example
 * titleOf('ops-dashboard') // 'Ops Dashboard'
 */
export const titleOf = (name: string): string =>
  name
    .split(/[-_]+/)
    .filter((word) => word !== '')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ')
