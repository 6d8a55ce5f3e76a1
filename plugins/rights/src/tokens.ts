// What other plugins may see of this one.
export { compareRights, lineOf, type RightsChange, type RightsReport } from './compare-rights.ts'
