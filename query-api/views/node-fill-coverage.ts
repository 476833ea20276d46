/** View of the coverage of the fills of a self-hosted node; the fills are in a table. */
import { onKeyed, type Stage } from '#infra/stages/stage';
import { type NodeFillCoverage, nodeFillCoverageTopic } from '#schemas/topics/node-fills';

/** Records of the view: the table is some seconds behind the newest one. */
const RECORDS_MAX = 30;

/** The newest records, oldest first; empty without a node. */
export interface NodeFillCoverageView {
  records: readonly NodeFillCoverage[];
}

export const nodeFillCoverageView: Stage<NodeFillCoverageView> = {
  name: 'view.node-fill-coverage',
  inputs: [
    onKeyed(nodeFillCoverageTopic, (view: NodeFillCoverageView, { value }) => {
      if (value) view.records = [...view.records, value].slice(-RECORDS_MAX);
      else view.records = [];
    }),
  ],
  outputs: [],
  initialState: () => ({ records: [] }),
};
