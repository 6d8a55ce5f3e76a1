/**
 * zod, as the packages of this workspace have it once they are built: one file in place of a
 * hundred. Whoever writes a plugin imports `zod` itself.
 */
export * from 'zod'
