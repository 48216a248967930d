#include "suites/extract/walk/flow_graph.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::UnorderedElementsAre;

std::vector<CodeOffset> resumed(FlowGraph& graph) {
  std::vector<CodeOffset> places;
  while (const auto call = graph.take_returning_call()) places.push_back(call->next);
  return places;
}

TEST(FlowGraph, FindsRunsByWhereTheyStart) {
  FlowGraph graph(100);
  const auto a = graph.run_at(3);
  const auto b = graph.run_at(5);
  const auto c = graph.run_at(40);
  EXPECT_EQ(graph.run_at(5), b);
  EXPECT_EQ(graph.find(4), std::nullopt);
  EXPECT_EQ(graph.find(40), c);
  EXPECT_EQ(graph.last_up_to(4), a);
  EXPECT_EQ(graph.last_up_to(39), b);
  EXPECT_EQ(graph.last_up_to(99), c);
}

TEST(FlowGraph, GivesACallBackOnceTheCalledReturns) {
  FlowGraph graph(100);
  const auto caller = graph.run_at(0);
  const auto callee = graph.run_at(10);
  const auto end = graph.run_at(20);
  graph.add_call(callee, {caller, 5});
  EXPECT_THAT(resumed(graph), testing::IsEmpty());
  graph.add_flow(callee, end);
  EXPECT_THAT(resumed(graph), testing::IsEmpty());
  graph.set_returns(end);
  EXPECT_THAT(resumed(graph), UnorderedElementsAre(5));
  graph.add_call(callee, {caller, 7});
  EXPECT_THAT(resumed(graph), UnorderedElementsAre(7));
}

TEST(FlowGraph, LearnsOfAFlowToWhatIsKnownToReturn) {
  FlowGraph graph(100);
  graph.set_returns(graph.run_at(20));
  graph.add_call(graph.run_at(10), {graph.run_at(0), 5});
  graph.add_flow(graph.run_at(10), graph.run_at(20));
  EXPECT_THAT(resumed(graph), UnorderedElementsAre(5));
}

TEST(FlowGraph, NeverTakesACallForAWayToAReturn) {
  FlowGraph graph(100);
  graph.add_call(graph.run_at(10), {graph.run_at(0), 5});
  graph.add_call(graph.run_at(0), {graph.run_at(30), 35});
  graph.set_returns(graph.run_at(10));
  EXPECT_THAT(resumed(graph), UnorderedElementsAre(5));  // but not 35
}

TEST(FlowGraph, NamesWhereControlComesFrom) {
  FlowGraph graph(100);
  graph.add_flow(graph.run_at(0), graph.run_at(50));
  graph.add_flow(graph.run_at(10), graph.run_at(50));
  graph.add_flow(graph.run_at(50), graph.run_at(50));
  graph.add_call(graph.run_at(50), {graph.run_at(20), 25});
  EXPECT_THAT(graph.sources(graph.run_at(50), 9),
              UnorderedElementsAre(graph.run_at(0), graph.run_at(10)));
  EXPECT_EQ(graph.sources(graph.run_at(50), 1).size(), 1U);
}

TEST(FlowGraph, NamesABranchThatLeadsToWhereItGoesOnOnce) {
  FlowGraph graph(100);
  graph.add_flow(graph.run_at(0), graph.run_at(50));
  graph.add_flow(graph.run_at(0), graph.run_at(50));
  graph.add_call(graph.run_at(50), {graph.run_at(0), 25});
  graph.add_flow(graph.run_at(10), graph.run_at(50));
  EXPECT_THAT(graph.sources(graph.run_at(50), 9),
              UnorderedElementsAre(graph.run_at(0), graph.run_at(10)));
  graph.set_returns(graph.run_at(50));
  EXPECT_THAT(resumed(graph), UnorderedElementsAre(25));
}

}  // namespace
}  // namespace assay
