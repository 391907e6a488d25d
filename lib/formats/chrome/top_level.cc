#include "formats/chrome/top_level.h"

#include <nlohmann/json.hpp>

namespace tfprof::chrome {
namespace {

// Stops at the member `rank` of an object; whatever follows, or is missing behind it, doesn't matter.
class RankFinder : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::optional<std::string> rank;

  bool key(string_t& name) override {
    is_rank_ = depth_ == 1 && name == "rank";
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override { return Take(std::to_string(value)); }
  bool string(string_t& value) override {
    const bool digits = !value.empty() && value.find_first_not_of("0123456789") == string_t::npos;
    return digits ? Take(value) : Other();
  }
  bool start_object(std::size_t) override { return Enter(); }
  bool start_array(std::size_t) override { return Enter(); }
  bool end_object() override { return Leave(); }
  bool end_array() override { return Leave(); }
  bool null() override { return Other(); }
  bool boolean(bool) override { return Other(); }
  bool number_integer(number_integer_t) override { return Other(); }
  bool number_float(number_float_t, const string_t&) override { return Other(); }
  bool binary(binary_t&) override { return Other(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool Take(const std::string& value) {
    if (!is_rank_) return true;
    rank = value;
    return false;
  }
  bool Other() {
    is_rank_ = false;
    return true;
  }
  bool Enter() {
    ++depth_;
    return Other();
  }
  bool Leave() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  bool is_rank_ = false;
};

}  // namespace

void NoteMember(std::string_view key, std::string_view value, TopLevel* top) {
  top->schema_version |= key == "schemaVersion";
  top->device_properties |= key == "deviceProperties";
  top->trace_name |= key == "traceName";
  top->base_time |= key == "baseTimeNanoseconds";
  if (key != "distributedInfo") return;
  top->distributed_info = true;
  RankFinder finder;
  nlohmann::json::sax_parse(value, &finder);
  if (finder.rank) top->rank = finder.rank;
}

}  // namespace tfprof::chrome
