#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>
#include <boost/describe/modifiers.hpp>
#include <boost/mp11/algorithm.hpp>
#include <type_traits>

namespace assay {

/// A struct whose members are listed once more below it, by Boost.Describe's BOOST_DESCRIBE_STRUCT.
/// Whatever keeps, sends or prints all of its members follows that list, so that a new member is
/// written into the struct and its list, and nowhere else. The list may also name member functions
/// whose values follow from the members: these values are printed and kept, but never read back.
template <typename T>
concept Described = boost::describe::has_describe_members<T>::value;

/// Calls visit(name, member) for each listed member, beginning with those of base classes.
template <typename T, typename Visit>
requires Described<std::remove_const_t<T>>
void for_each_member(T& value, const Visit& visit) {
  using namespace boost::describe;
  using Members = describe_members<std::remove_const_t<T>, mod_public | mod_inherited>;
  boost::mp11::mp_for_each<Members>(
      [&](auto member) { visit(decltype(member)::name, value.*decltype(member)::pointer); });
}

/// Calls visit(name, value) with the value of each listed member function.
template <Described T, typename Visit>
void for_each_derived(const T& value, const Visit& visit) {
  using namespace boost::describe;
  using Functions = describe_members<T, mod_public | mod_inherited | mod_function>;
  boost::mp11::mp_for_each<Functions>([&](auto function) {
    visit(decltype(function)::name, (value.*decltype(function)::pointer)());
  });
}

}  // namespace assay
