/** A folder with one of these is an agent. */
export const MANIFESTS = ['amodal.json', '.amodal/config.json'] as const
