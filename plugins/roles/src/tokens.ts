// What other plugins may use: what else a role says.
export { rolesOf, type Role, type Roles } from './role.ts'
