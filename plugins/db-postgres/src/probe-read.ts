import type { Row } from '@amodal/sdk'

/** Reads rows; throws where it cannot. */
export type Read = (sql: string) => Promise<readonly Row[]>
