/** How many sessions came to what. */
export interface ReplayCounts {
  readonly same: number
  readonly differ: number
  readonly failed: number
}

/** Such as `30 sessions: 28 the same, 2 differ`. */
export const countsLine = ({ differ, failed, same }: ReplayCounts): string =>
  `${same + differ + failed} sessions: ${same} the same, ${differ} differ${failed > 0 ? `, ${failed} failed` : ''}`
