import { AuditPage } from "./AuditPage.tsx"
import { CostPage } from "./CostPage.tsx"
import { RulesPage } from "./RulesPage.tsx"
import { ToolsPage } from "./ToolsPage.tsx"

/** The pages that are about no session; they come with the first of them that is opened. */
export const pages = { rules: RulesPage, audit: AuditPage, cost: CostPage, tools: ToolsPage } as const
