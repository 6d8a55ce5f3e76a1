/** Code of the note with what a sub-agent has used that a tool has called. */
export const CHILD_SPENT = 'child_spent'
