/**
 * zod as the built packages of this workspace contain it: one file instead of a hundred. Authors of
 * plugins import `zod` itself.
 */
export * from 'zod'
