export { rolesOf, type Role, type Roles } from './role.ts';
