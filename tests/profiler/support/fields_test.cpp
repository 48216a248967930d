#include "profiler/support/fields.h"

#include <gmock/gmock.h>

#include <array>
#include <boost/describe/class.hpp>
#include <map>

namespace assay {
namespace {

using ::testing::ElementsAre;

enum class Colour { kRed, kGreen };
constexpr std::array<std::string_view, 2> kColours = {"red", "green"};
std::string_view name(Colour colour) { return kColours.at(static_cast<std::size_t>(colour)); }

}  // namespace

template <>
std::optional<Colour> named<Colour>(std::string_view word) {
  return value_named<Colour>(kColours, word);
}

namespace {

struct Size {
  double width = 0;
  double height = 0;
  double area() const { return width * height; }
  bool operator==(const Size&) const = default;
};
BOOST_DESCRIBE_STRUCT(Size, (), (area, width, height))

struct Part {
  std::string number;
  bool operator==(const Part&) const = default;
};
BOOST_DESCRIBE_STRUCT(Part, (), (number))

struct Thing {
  std::int64_t count = 0;
  bool is_new = false;
  std::string text{};
  Colour colour{};
  std::optional<Size> size{};
  Part part{};
  std::vector<Part> others{};
  bool operator==(const Thing&) const = default;
};
BOOST_DESCRIBE_STRUCT(Thing, (), (count, is_new, text, colour, size, part, others))

Thing some_thing() {
  return {.count = 7,
          .is_new = true,
          .text = "a",
          .colour = Colour::kGreen,
          .size = Size{2, 3},
          .part = {"p"},
          .others = {}};
}

/// A Thing that is set from fields as a table keeps them.
Thing read_back(const Fields& fields) {
  std::map<std::string_view, FieldValue> values;
  for (const DescribedField& field : fields) values[field.name] = field.value;
  if (const bool* flag = std::get_if<bool>(&values.at("is_new"))) {
    values["is_new"] = std::int64_t{*flag};
  }
  Thing thing;
  set_fields(thing, [&](std::string_view name) { return values.at(name); });
  return thing;
}

TEST(Fields, AreThoseOfTheStructAndOfWhatItHolds) {
  EXPECT_THAT(field_names<Thing>(), ElementsAre("count", "is_new", "text", "colour", "area",
                                                "width", "height", "number"));
  const Fields fields = fields_of(some_thing());
  EXPECT_EQ(std::get<std::int64_t>(fields.at(0).value), 7);
  EXPECT_EQ(std::get<bool>(fields.at(1).value), true);
  EXPECT_EQ(std::get<std::string>(fields.at(3).value), "green");
  EXPECT_EQ(std::get<double>(fields.at(4).value), 6);
  EXPECT_EQ(std::get<std::string>(fields.at(7).value), "p");
}

TEST(Fields, OfWhatIsMissingAreEmpty) {
  const Fields fields = fields_of(Thing{});
  EXPECT_EQ(fields.at(5).name, "width");
  for (const int i : {4, 5, 6}) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(fields.at(i).value)) << i;
  }
}

TEST(Fields, AreReadBack) {
  EXPECT_EQ(read_back(fields_of(some_thing())), some_thing());
  EXPECT_EQ(read_back(fields_of(Thing{})), Thing{});
}

TEST(Fields, ThatContradictWhatTheyFollowFromAreRefused) {
  Fields fields = fields_of(some_thing());
  ASSERT_EQ(fields.at(4).name, "area");
  fields.at(4).value = 7.0;
  EXPECT_THROW(read_back(fields), UnknownWord);
}

TEST(Fields, OfUnknownWordsAndOtherTypesAreRefused) {
  Fields unknown = fields_of(some_thing());
  unknown.at(3).value = std::string("blue");
  EXPECT_THROW(read_back(unknown), UnknownWord);
  Fields of_another_type = fields_of(some_thing());
  of_another_type.at(0).value = 0.5;
  EXPECT_THROW(read_back(of_another_type), InputError);
}

}  // namespace
}  // namespace assay
