/** Limits of sockets that no test reaches, unless it sets its own. */
import { Budget } from '../feed/budget.ts';
import { ConnectionGate } from '../feed/connection-gate.ts';
import { type SocketBudgets, SocketPlanner } from '../feed/planner.ts';

export function socketPlanner(budgets: Partial<SocketBudgets> = {}, gate = new ConnectionGate()): SocketPlanner {
  const plenty = () => new Budget({ max: 1_000, windowMs: 1_000 });
  return new SocketPlanner({ connections: plenty(), newConnections: plenty(), messages: plenty(), ...budgets }, gate);
}
