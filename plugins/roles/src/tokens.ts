// What other plugins may import: the roles of a bundle.
export { readRoles, rolesHeld, rolesOf, type Role, type Roles } from './role.ts'
