// Selects and orders the nodes of an op tree: what the flags of `tree` leave of it (op_tree.h).
//
// Inverted, the roots are the ops that take time, with all their self time; below each stand its callers, with the part of
// that time that was spent on their behalf as their total and no self time, so that Σ self stays what it was. Under
// --peek the roots are the ops that match; each is counted once, however deep it calls itself, and has below it its callers
// and callees, with the time that goes through both.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyze/op_tree.h"
#include "base/status.h"

namespace tfprof::analyze {

class TreeSelector {
 public:
  static Result<TreeSelector> Create(const TreeSelection& selection);
  TreeSelector(TreeSelector&&) noexcept;
  TreeSelector& operator=(TreeSelector&&) noexcept;
  ~TreeSelector();

  // `result->nodes` has self times; parents stand before children. Fills totals, shares and counts.
  void Apply(TreeResult* result) const;

 private:
  struct Patterns;
  explicit TreeSelector(const TreeSelection& selection);

  void FocusAndIgnore(std::vector<TreeNode>* nodes) const;
  std::vector<TreeNode> Peek(const std::vector<TreeNode>& nodes) const;
  void CutSmall(std::vector<TreeNode>* nodes) const;

  TreeSelection selection_;
  std::unique_ptr<Patterns> patterns_;
};

}  // namespace tfprof::analyze
